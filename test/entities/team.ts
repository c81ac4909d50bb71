// A new entity: its definition and its tables.

import { date, flagOrNull, id, reference, text, whole } from "../../server/records/fields.ts";
import { record } from "../../server/records/index.ts";
import { references } from "../../server/records/reference-list.ts";

export const team = record("Team", {
  description: "People who work together.",
  table: "teams",
  fields: {
    Id: id("int32", { description: "Number of the team." }),
    Code: text({ description: "Its short name.", maxLength: 10, unique: true }),
    Size: whole("int32", { description: "Number of people." }),
    Ends_On: date({ description: "End of its work." }),
    Is_Open: flagOrNull({ description: "Whether people may join." }),
    Lead: reference("User", { description: "Leads the team." }),
    Tool: reference("Application", { description: "The application that it works with." }),
    Members: references("User", { description: "Its people.", through: "team_members", judged: true }),
  },
  identifiers: ["Code"],
});

export const TABLE = `
  create table teams (
    id integer generated always as identity primary key,
    tenant_id uuid not null references tenants,
    code text,
    size integer,
    ends_on timestamptz(3),
    is_open boolean not null default false,
    sequence bigint not null default 1,
    lead_id integer references users,
    tool_id bigint references applications,
    created_on timestamptz(3) not null, created_by_type text, created_by_id bigint,
    modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
    search_text text not null generated always as (search_form(coalesce(code, ''))) stored,
    constraint teams_code_key unique (tenant_id, code)
  );
  create table team_members (
    id bigint generated always as identity primary key,
    tenant_id uuid not null references tenants,
    team_id integer not null references teams on delete cascade,
    user_id integer not null references users on delete cascade,
    unique (team_id, user_id)
  );
  create index team_members_user on team_members (user_id);
  create trigger team_members_announce after insert or update or delete on team_members
    for each row execute function announce('roles');`;
