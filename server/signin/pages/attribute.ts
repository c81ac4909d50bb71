/** A text as an attribute's value: @kitajs/html escapes its quotes, but leaves `&lt;` to come back as `<`. */
export function attribute(text: string): string {
  return text.replaceAll("&", "&amp;");
}
