/** Whether who asks would rather have a page than JSON: browsers name text/html, API clients do not (RFC 9110 12.5.1). */
export function prefersPage(request: Request): boolean {
  const weight = (type: string) => weights.get(type) ?? 0;
  const weights = new Map(
    (request.headers.get("accept") ?? "").split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [type, q === undefined ? 1 : Number(q) || 0];
    }),
  );
  return weight("text/html") > weight("application/json");
}
