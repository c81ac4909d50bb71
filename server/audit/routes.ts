import { Elysia } from "elysia";
import { type Authenticate, answer } from "../access/index.ts";
import { requireMethod } from "../http/method.ts";
import { NO_STORE } from "../http/no-store.ts";
import { API_PATH } from "../http/paths.ts";
import { requestUrl } from "../http/request-url.ts";
import type { Export } from "./export.ts";
import type { AuditLog } from "./service.ts";

/** GET …/AuditEvent, …/AuditEvent/Export and …/AuditEvent/{Id}. */
export function auditController(log: AuditLog, authenticate: Authenticate) {
  const path = `${API_PATH}/AuditEvent`;
  const reader = async (request: Request) => {
    const caller = await authenticate(request);
    requireMethod(request, "GET");
    return { caller, parameters: requestUrl(request).searchParams };
  };
  return new Elysia()
    .all(
      path,
      async ({ request }) => {
        const { caller, parameters } = await reader(request);
        return answer(await log.list(caller, parameters));
      },
      { parse: "none" },
    )
    .all(
      `${path}/Export`,
      async ({ request }) => {
        const { caller, parameters } = await reader(request);
        return exportResponse(await log.export(caller, parameters));
      },
      { parse: "none" },
    )
    .all(
      `${path}/:id`,
      async ({ request, params }) => {
        const { caller } = await reader(request);
        return answer(await log.read(caller, params.id));
      },
      { parse: "none" },
    );
}

/** A file to be kept, for who asked for it alone. */
export function exportResponse({ type, fileName, body }: Export): Response {
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${fileName}"`, ...NO_STORE };
  return new Response(body, { headers });
}
