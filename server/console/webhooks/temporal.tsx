import { Link } from "../../ui/index.ts";
// Links to the Temporal UI: workflows of a tenant or a connection.

import { HOUR_MS } from "../../platform/durations.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { ConnectionRecord } from "../../webhooks/index.ts";

interface TemporalViewsProps {
  url: (query: string) => string;
  tenantId: TenantId;
  /** Undefined: all connections. */
  connection?: Pick<ConnectionRecord, "Id">;
}

/** Ids contain no quotes, so no escaping is needed. */
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
          <Link href={url(query)} text={label} />
        </>
      ))}
    </p>
  );
}
