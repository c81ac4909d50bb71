/**
 * Whether the browser itself says that one of our pages sent a form; no other site can make it say so. Origin does not
 * tell, for our pages send no referrer. Of a browser that says nothing it is not known.
 */
export function isOwnForm(request: Request): boolean {
  return request.method === "POST" && request.headers.get("sec-fetch-site") === "same-origin";
}
