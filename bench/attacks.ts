// Attacks by which one tenant may delay the others. A new attack is an entry of ATTACKS.

import type { Arrivals } from "./arrivals.ts";
import type { Service, Tenant } from "./service.ts";

export interface Scene {
  service: Service;
  attacker: Tenant;
  /** The receivers; the first is the measured tenant's. */
  arrivals: Arrivals;
}

export interface Attack {
  title: string;
  /** Measures the other tenant's deliveries instead of its requests. */
  measured?: "deliveries";
  /** Prepares the attack; not measured. */
  prepare?(scene: Scene): Promise<void>;
  /** Attacks until `isOver`, and leaves nothing running. @returns a summary */
  run(scene: Scene, isOver: () => boolean): Promise<string>;
}

const AUDIT_ROWS = 99_000;
const SEARCHED_ROWS = 200_000;
const HELD_DELIVERIES = 200_000;
export const HANGING_RECEIVERS = 100;
const HANGING_NAMES = 4;
/** Longer than WEBHOOK_TIMEOUT, so that every attempt fails. */
const HANG_MS = 30_000;
/** Each change goes to all hanging receivers. */
const HANGING_CHANGE_EVERY_MS = 500;

/** Names that the DNS server of bench/tenants.ts does not answer. */
export const isHangingName = (name: string) => name.startsWith("hang");

export const ATTACKS: Record<string, Attack> = {
  nothing: { title: "nothing (the control)", run: async (_, isOver) => waitUntil(isOver) },

  policies: {
    title: "8 callers validate a policy that takes Cedar a second",
    run: ({ attacker }, isOver) =>
      lanes(8, isOver, async () => {
        const { status } = await attacker.request("POST", "/Policy/Validate", { Policy: SLOW_POLICY });
        return String(status);
      }),
  },

  lists: {
    title: "4 callers list 100 records with the most expensive policy allowed",
    prepare: async ({ attacker }) => {
      const records = Array.from({ length: 100 }, (_, index) => ({ Description: `${index}`.padEnd(10_000, "a") }));
      await attacker.request("PATCH", "/Application", records);
      const saved = await attacker.request("PATCH", "/Policy", { Name: "costly", Policy: COSTLY_POLICY });
      if (saved.status !== 200) throw new Error(`The policy was answered ${saved.status}.`);
    },
    run: ({ attacker }, isOver) =>
      lanes(4, isOver, async () => String((await attacker.request("GET", "/Application?Limit=200")).status)),
  },

  passwords: {
    title: "32 callers sign in with wrong passwords",
    run: async ({ attacker, service }, isOver) => {
      const form = await attacker.signInForm();
      return lanes(32, isOver, async (count) => {
        // A throttled attempt computes no hash.
        if (count % 4 === 0) await service.sql`delete from signin_failures where tenant_id = ${attacker.id}`;
        return String(await form.submit(`nobody-${count}`, "wrong"));
      });
    },
  },

  exports: {
    title: "4 callers export an audit log of 100,000 rows",
    prepare: async ({ attacker, service }) => {
      await service.sql`
        insert into audit_log (tenant_id, id, kind, outcome, address, user_agent, details, request_key)
        select ${attacker.id}, uuidv7(), 'SignIn.Failed', 'Failure', '127.0.0.1', repeat('x', 100),
          '{"Reason":"WrongPassword"}', gen_random_uuid()::text from generate_series(1, ${AUDIT_ROWS})`;
    },
    run: async ({ attacker, service }, isOver) => {
      const before = await service.apiMiB();
      let max = before;
      const done = await lanes(4, isOver, async () => {
        const answer = await attacker.fetch("GET", "/AuditEvent/Export?Format=NDJSON");
        let chunks = 0;
        for await (const _ of answer.body!) {
          if (chunks++ % 50 === 0) max = Math.max(max, await service.apiMiB());
          if (isOver()) break;
        }
        if (answer.status === 429) await Bun.sleep(100);
        return String(answer.status);
      });
      return `${done}; the API's memory ${before.toFixed(0)} MiB, at most ${max.toFixed(0)} MiB`;
    },
  },

  search: {
    title: "32 callers search 200,000 records without a match",
    prepare: async ({ attacker, service }) => {
      await service.sql`
        insert into departments (tenant_id, name, external_id, created_on, modified_on)
        select ${attacker.id}, 'Department ' || n || repeat('x', 200), 'external ' || n, now(), now()
        from generate_series(1, ${SEARCHED_ROWS}) as n`;
    },
    run: ({ attacker }, isOver) =>
      lanes(32, isOver, async () => String((await attacker.request("GET", "/Department?Search=nowhere")).status)),
  },

  bulk: {
    title: "32 callers upsert 1,000 records each in a transaction",
    run: ({ attacker }, isOver) =>
      lanes(32, isOver, async (count) => {
        const records = Array.from({ length: 1_000 }, (_, index) => ({ ExternalId: `${count}-${index}` }));
        return String((await attacker.request("PATCH", "/Application", records)).status);
      }),
  },

  deletion: {
    title: "a connection with 200,000 held deliveries is deleted, and its tenant changes records beside it",
    prepare: async ({ attacker, service }) => {
      const { Id } = (await attacker.request("POST", "/WebhookConnection", PAUSED_CONNECTION)).body as { Id: string };
      await service.sql`
        with held as (
          insert into events (id, tenant_id, event_record, event_type, record_id, occurred_on)
          select uuidv7(), ${attacker.id}, 'Application', 'Updated', '1', now()
          from generate_series(1, ${HELD_DELIVERIES}) returning id, position
        )
        insert into deliveries (id, tenant_id, event_id, connection_id, position, part, state)
        select gen_random_uuid(), ${attacker.id}, id, ${Id}, position, 1, 'Held' from held`;
    },
    run: async ({ attacker, service }, isOver) => {
      const [{ Id }] = (await connectionsOf(attacker)) as [{ Id: string }];
      const began = performance.now();
      let took = 0;
      const deletion = attacker.request("DELETE", `/WebhookConnection/${Id}`).then(() => {
        took = performance.now() - began;
      });
      let longest = 0;
      await lanes(1, isOver, async () => {
        const asked = performance.now();
        const { status } = await attacker.request("PATCH", "/Application", { ExternalId: Bun.randomUUIDv7() });
        longest = Math.max(longest, performance.now() - asked);
        return String(status);
      });
      await deletion;
      const [row] = await service.sql<{ left: number }[]>`
        select count(*) as left from deliveries where connection_id = ${Id} and state = 'Held'`;
      return `deleted in ${took.toFixed(0)} ms, its tenant's longest change ${longest.toFixed(0)} ms, ${row!.left} left`;
    },
  },

  silence: {
    title: "nothing, beside deliveries (the control of the following)",
    measured: "deliveries",
    run: async (_, isOver) => waitUntil(isOver),
  },

  receivers: {
    title: `${HANGING_RECEIVERS} receivers of one tenant hang`,
    measured: "deliveries",
    prepare: async ({ attacker, arrivals }) => {
      const [, ...urls] = arrivals.urls;
      arrivals.hang(
        urls.map((_, index) => index + 1),
        HANG_MS,
      );
      await attacker.connect(urls);
    },
    run: async (scene, isOver) => {
      const done = await changesThatHang(scene, isOver);
      scene.arrivals.release();
      return done;
    },
  },

  names: {
    title: `${HANGING_NAMES} receivers' names of one tenant hang`,
    measured: "deliveries",
    prepare: ({ attacker }) =>
      attacker.connect(Array.from({ length: HANGING_NAMES }, (_, index) => `https://hang${index}.test/`)),
    run: changesThatHang,
  },
};

/** Each change goes to all connections of the tenant, which are deleted at the end with their open deliveries. */
async function changesThatHang({ attacker, service }: Scene, isOver: () => boolean): Promise<string> {
  const done = await lanes(1, isOver, async (count) => {
    const { status } = await attacker.request("PATCH", "/Application", { ExternalId: `hangs ${count}` });
    await Bun.sleep(HANGING_CHANGE_EVERY_MS);
    return String(status);
  });
  const [row] = await service.sql<{ attempts: number; open: number }[]>`
    select sum(attempts) as attempts, count(*) filter (where attempts = 0) as open
    from deliveries where tenant_id = ${attacker.id}`;
  for (const { Id } of await connectionsOf(attacker)) await attacker.request("DELETE", `/WebhookConnection/${Id}`);
  return `${done}; ${row!.attempts} attempts started, ${row!.open} deliveries not attempted`;
}

async function connectionsOf(tenant: Tenant): Promise<{ Id: string }[]> {
  const { body } = await tenant.request("GET", "/WebhookConnection?Limit=200");
  return (body as { Items: { Id: string }[] }).Items;
}

const SLOW_POLICY = Array(5)
  .fill(`permit (principal, action, resource) when { [${Array(60).fill("resource.x").join(",")}].isEmpty() };`)
  .join("");

/** The time makes each request's questions unique, so no cached decision applies. */
const COSTLY_POLICY = `forbid (principal, action, resource is Application)
  when { context.hour < 24 && context.time > datetime("2020-01-01") && resource.Description like "*${"a".repeat(600)}b" };`;

const PAUSED_CONNECTION = {
  Name: "paused",
  URL: "https://localhost/",
  Entities: ["Application"],
  Events: ["Created"],
  State: "Paused",
};

/** Repeats the work in parallel lanes. @returns the count of each result */
async function lanes(many: number, isOver: () => boolean, work: (count: number) => Promise<string>): Promise<string> {
  const outcomes = new Map<string, number>();
  let count = 0;
  const lane = async () => {
    while (!isOver()) {
      const outcome = await work(count++);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: many }, lane));
  return [...outcomes].map(([outcome, times]) => `${outcome} ${times} times`).join(", ");
}

async function waitUntil(isOver: () => boolean): Promise<string> {
  while (!isOver()) await Bun.sleep(50);
  return "";
}
