// A server with only the SQL of GET User and PATCH Application: no tokens, policies, validation or log. It is the lower
// limit for this stack, to which bench/entities.ts compares the API.

import { connect } from "../server/platform/db/sql.ts";
import { inSnakeCase } from "../server/platform/http/fields.ts";
import { user } from "../server/records/entities/user.ts";

const sql = connect(process.env.DATABASE_URL!, "raw postgres.js", 10);
const tenantId = process.env.TENANT_ID!;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/User/:id": async ({ params }) => Response.json(await readUser(params.id)),
    "/Application": async (request) => Response.json(await changeApplication(await request.json())),
  },
});
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.port}` }));

/** All fields, as in the API's answers. */
const FIELDS = user.fields
  .filter(({ stored }) => stored !== "elsewhere")
  .map(({ name, column }) => `"${inSnakeCase(column)}" as "${name}"`)
  .join(", ");

async function readUser(id: string) {
  const [user] = await sql`
    select ${sql.unsafe(FIELDS)},
      (select json_build_object('Id', target.id, 'ExternalId', coalesce(target.external_id, ''),
        'Name', coalesce(target.name, ''), 'Type', 'Department')
        from departments target where target.id = users.department_id) as "Department",
      actor_reference(created_by_type, created_by_id) as "CreatedBy",
      actor_reference(modified_by_type, modified_by_id) as "ModifiedBy"
    from users where tenant_id = ${tenantId} and id = ${id} order by id limit 2`;
  return user;
}

/** The change, its event and its deliveries in one transaction, as server/records/entities and server/webhooks write them. */
function changeApplication({ Id, Description }: { Id: string; Description: string }) {
  return sql.begin(async (tx) => {
    const columns = tx`
      id as "Id", name as "Name", application_key as "ApplicationKey", external_id as "ExternalId",
      description as "Description", web_site_url as "WebSiteURL", is_system as "Is_System", is_end_user as "Is_EndUser",
      is_active as "Is_Active", modified_on as "ModifiedOn", created_on as "CreatedOn", parent_id,
      actor_reference(created_by_type, created_by_id) as "CreatedBy",
      actor_reference(modified_by_type, modified_by_id) as "ModifiedBy"`;
    await tx`select ${columns} from applications where tenant_id = ${tenantId} and id = ${Id}::bigint for update`;
    const [application] = await tx`
      update applications set description = ${Description}, modified_by_type = 'Application', modified_by_id = ${Id},
        modified_on = ${new Date()}
      where tenant_id = ${tenantId} and id = ${Id} returning ${columns}`;
    const eventId = Bun.randomUUIDv7();
    const payload = JSON.stringify({ TenantId: tenantId, EventId: eventId, Data: application });
    await tx`
      with event as (
        insert into events (id, tenant_id, event_record, event_type, record_id, occurred_on)
        values (${eventId}, ${tenantId}, 'Application', 'Updated', ${Id}, ${new Date()})
        returning position
      ), payload as (
        insert into payloads (event_id, payload) values (${eventId}, ${payload})
      ), connection as (
        select id, state from webhook_connections
        where tenant_id = ${tenantId} and deleted_on is null
          and 'Application' = any (entities) and 'Updated' = any (events)
        order by id for share
      ), delivery as (
        insert into deliveries (id, tenant_id, event_id, connection_id, position, part, state)
        select gen_random_uuid(), ${tenantId}, ${eventId}, id, position, 1 + (row_number() over (order by id) - 1) / 500,
          case state when 'Active' then 'Pending' else 'Held' end
        from connection cross join event
        returning part
      ), dispatch as (
        insert into dispatches (tenant_id, event_id, part, event_record, event_type, record_id, record_name, delivery_count)
        select ${tenantId}, ${eventId}, part, 'Application', 'Updated', ${Id}, ${application!.Name},
          (select count(*) from delivery d where d.part = parts.part)
        from generate_series(1, greatest(1, (select max(part) from delivery))) as parts (part)
      )
      select pg_notify('gatehouse_dispatch', '')`;
    return application;
  });
}
