/** A text of a record; one that is not set says so. */
export function Value({ text }: { text: string }): JSX.Element {
  if (text === "") return <span class="none">none</span>;
  return <span safe>{text}</span>;
}
