// Ways into the Temporal UI: the workflows of a tenant or of one connection, as its lists find them.

import type { TenantId } from "../../ids.ts";
import type { ConnectionRecord } from "../../webhooks/index.ts";

const HOUR_MS = 3_600_000;

interface TemporalViewsProps {
  /** Where the Temporal UI lists what a query finds. */
  url: (query: string) => string;
  tenantId: TenantId;
  /** Undefined: of all. */
  connection?: Pick<ConnectionRecord, "Id">;
}

/** Quotes need no escaping: ids have none. */
export function TemporalViews({ url, tenantId, connection }: TemporalViewsProps): JSX.Element {
  const ofThis = `TenantId = "${tenantId}"${connection ? ` AND ConnectionId = "${connection.Id}"` : ""}`;
  const anHourAgo = new Date(Date.now() - HOUR_MS).toISOString();
  const views: [label: string, query: string][] = [
    ["failed in the last hour", `${ofThis} AND ExecutionStatus = "Failed" AND CloseTime > "${anHourAgo}"`],
    ["running now", `${ofThis} AND ExecutionStatus = "Running"`],
    [connection ? "all of this connection" : "all of this organisation", ofThis],
  ];
  return (
    <p class="fine after">
      {"In the Temporal UI: "}
      {views.map(([label, query], index) => (
        <>
          {index > 0 ? ", " : ""}
          <a href={url(query)} safe>
            {label}
          </a>
        </>
      ))}
    </p>
  );
}
