// A user with an authenticator app, over plain HTTP.

import { expect } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { ok } from "./api.ts";
import { type Client, newClient } from "./client.ts";
import { removeRows } from "./rows.ts";
import { clientOf } from "./tenant.ts";
import { type View, Visitor } from "./visitor.ts";

/** An application of a new tenant, which does not ask for consent. */
export async function newApplication(): Promise<Client> {
  return newClient({ first_party: true });
}

/** Milliseconds for which a code is shown. */
const STEP = 30_000;

/** An authenticator app with a stopped clock, so no step passes during a test. */
export class Authenticator {
  private readonly totp: TOTP;
  private readonly now = Date.now();

  constructor(readonly key: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(key), digits: 6, period: 30, algorithm: "SHA1" });
  }

  /** @param steps counted from the app's time; a code works once, so a test may need a later one */
  code(steps = 0): string {
    return this.totp.generate({ timestamp: this.now + steps * STEP });
  }

  /** A code without a correct digit. */
  wrongCode(): string {
    const near = [-1, 0, 1, 2, 3].map((steps) => this.code(steps));
    for (let code = 0; ; code++) {
      const text = String(code).padStart(6, "0");
      if (!near.includes(text)) return text;
    }
  }
}

/** A person with a browser. */
export class Person {
  readonly visitor = new Visitor();

  /** @param user by default the tenant's admin */
  constructor(
    readonly client: Client,
    readonly user = client.tenant.admin,
  ) {}

  /** Signs in up to the password step. */
  async signIn(password = this.user.password): Promise<View> {
    const page = await this.visitor.open(this.client.authorize());
    return this.visitor.submit(page, { username: this.user.username, password });
  }

  account(): Promise<View> {
    return this.visitor.open("/account");
  }

  /** Opens an account page and sends its form. */
  async send(path: string, fields: Record<string, string | undefined>): Promise<View> {
    return this.visitor.submit(await this.visitor.open(path), fields);
  }

  /** Sends one of the forms of the account page. */
  async press(action: string, fields: Record<string, string> = {}): Promise<View> {
    const view = await this.account();
    const form = view.forms.find(
      (one) => one.action === action && Object.entries(fields).every(([name, value]) => one.fields[name] === value),
    );
    if (!form) throw new Error(`"${view.heading}" has no form for ${action}: ${JSON.stringify(view.forms)}`);
    return this.visitor.post(form.action, form.fields);
  }

  /** Whether the application recognises the user without a question. */
  async isSignedIn(): Promise<boolean> {
    const back = await this.visitor.open(this.client.authorize({ prompt: "none" }));
    return back.location?.searchParams.has("code") ?? false;
  }
}

export async function signedIn(client?: Client, user?: Person["user"]): Promise<Person> {
  const person = new Person(client ?? (await newApplication()), user);
  const { status, heading } = await person.signIn();
  expect({ status, heading }).toEqual({ status: 302, heading: "" });
  return person;
}

/** A person with an authenticator set up on the account page; its next code is in the next step. */
export async function enrolled(
  client?: Client,
  user?: Person["user"],
): Promise<{ person: Person; app: Authenticator; recovery: string[] }> {
  const person = await signedIn(client, user);
  const page = await person.visitor.open("/account/second-factor");
  const app = new Authenticator(keyOf(page));
  const { password } = person.user;
  const codes = await person.visitor.submit(page, { password, code: app.code() });
  return { person, app, recovery: codesOf(codes) };
}

/** A second browser of the same user, at the page that asks for the code. */
export async function atTheCode(client: Client): Promise<{ person: Person; page: View }> {
  const person = new Person(client);
  return { person, page: await person.signIn() };
}

/** Set by another client of the tenant, an administrator. */
export async function requireSecondFactor({ tenant }: Client): Promise<void> {
  const admin = await clientOf(tenant);
  await ok(admin.patch("/TenantSettings", { SecondFactor: "Required" }));
}

/** Ends the waits after too many wrong attempts. */
export async function waitOut({ tenant }: Client): Promise<void> {
  await removeRows("signin_failures", { tenant_id: tenant.tenantId });
}

export function keyOf({ html, heading }: View): string {
  const key = /<code class="key">([^<]*)</.exec(html)?.[1]?.replaceAll(" ", "").trim();
  if (!key) throw new Error(`No key on the page "${heading}".`);
  return key;
}

export function codesOf({ html }: View): string[] {
  return [...html.matchAll(/<code>([0-9A-Z]{5}-[0-9A-Z]{5})<\/code>/g)].map((match) => match[1]!);
}

export function alertOf({ html }: View): string {
  return /role="alert"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
}

export function statusOf({ html }: View): string {
  return /role="status"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
}
