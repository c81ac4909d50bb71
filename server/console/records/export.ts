// The records of an entity's list as a file.

import { EXPORT_PAGE, exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked } from "../../platform/http/query.ts";
import { type EntityRecord, type EntityService, permit } from "../../records/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";
import { filtersOf } from "./records.tsx";

const READ = ["AccessManager:Read"] as const;

export function exportPage(deps: ConsoleServices, service: EntityService, path: string): ConsolePage {
  return { path: `${path}/export`, GET: { needs: READ, answer: (visit) => exportFile(deps, service, visit) } };
}

async function exportFile({ exporter }: ConsoleServices, service: EntityService, visit: Visit): Promise<Response> {
  const known = { ...service.filters, Format: formatFilter };
  const { filters, paging } = readAsked(known, filtersOf(visit), service.anyCase);
  const { Format, ...wanted } = filters;
  const { entity } = service;
  const file = await exporter(visit.caller, Format, {
    name: entity.nouns[1],
    schema: entity.record,
    count: async (max) => (await service.count(visit.permitted(...READ), wanted, max)) ?? 0,
    readPage: async (reader: typeof visit.caller, cursor) => {
      const page = await service.list(permit(reader, READ), wanted, { ...paging, limit: EXPORT_PAGE, cursor });
      return page as typeof page & { Items: EntityRecord[] };
    },
  });
  return exportResponse(file);
}
