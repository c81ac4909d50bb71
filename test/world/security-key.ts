// An authenticator in software (WebAuthn Level 3, 6): its answers can be wrong in every way that a test needs.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { issuer } from "./client.ts";
import { type Person, signedIn } from "./person.ts";
import type { View } from "./visitor.ts";

export interface Answer {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  userHandle?: string;
  count?: number;
  signedBy?: SecurityKey;
}

/** Bits of the authenticator data (WebAuthn Level 3, 6.1). */
const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, synced: 0x10, attested: 0x40 };

export class SecurityKey {
  readonly id: string;
  count = 0;
  userHandle = "";
  private readonly key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
  });

  constructor(
    private readonly options: { isSynced?: boolean; counts?: boolean; aaguid?: string; idBytes?: number } = {},
  ) {
    this.id = randomBytes(options.idBytes ?? 32).toString("base64url");
  }

  /** The credential for the page's question, as a form sends it. */
  create(view: View, answer: Answer = {}): string {
    const { challenge, rp, user } = optionsOf(view);
    this.userHandle = user.id;
    const { x, y } = this.key.publicKey.export({ format: "jwk" });
    const cose = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x!, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y!, "base64url"),
    ]);
    const id = Buffer.from(this.id, "base64url");
    const aaguid = Buffer.from((this.options.aaguid ?? "0".repeat(32)).replaceAll("-", ""), "hex");
    const attested = Buffer.concat([aaguid, inTwoBytes(id.length), id, cose]);
    const data = Buffer.concat([this.data(answer.rpId ?? rp.id, answer, FLAGS.attested), attested]);
    // A CBOR map of fmt, attStmt and authData, whose length has two bytes.
    const head = Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746159", "hex");
    const attestationObject = Buffer.concat([head, inTwoBytes(data.length), data]).toString("base64url");
    const clientDataJSON = clientData("webauthn.create", challenge, answer);
    return this.sent({ clientDataJSON, attestationObject, transports: ["internal"] });
  }

  get(view: View, answer: Answer = {}): string {
    const { challenge, rpId } = optionsOf(view);
    const data = this.data(answer.rpId ?? rpId, answer);
    const clientDataJSON = clientData("webauthn.get", challenge, answer);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), (answer.signedBy ?? this).key.privateKey);
    return this.sent({
      clientDataJSON,
      authenticatorData: data.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: answer.userHandle ?? this.userHandle,
    });
  }

  private data(rpId: string, { isVerified = true, count }: Answer, flags = 0): Buffer {
    if (this.options.counts) this.count++;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count ?? this.count);
    const synced = this.options.isSynced ? FLAGS.eligible | FLAGS.synced : 0;
    const all = flags | FLAGS.present | (isVerified ? FLAGS.verified : 0) | synced;
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([all]), counter]);
  }

  private sent(response: Record<string, unknown>): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response });
  }
}

function inTwoBytes(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(number);
  return bytes;
}

/** The options that the page gives to its script. */
export function optionsOf({ html }: View) {
  const text = /data-options="([^"]*)"/.exec(html)?.[1];
  if (text === undefined) throw new Error("The page asks for no passkey.");
  return JSON.parse(text.replaceAll("&#34;", '"').replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

function clientData(type: string, challenge: string, answer: Answer): string {
  const origin = answer.origin ?? issuer();
  const data = { type: answer.type ?? type, challenge: answer.challenge ?? challenge, origin, crossOrigin: false };
  return Buffer.from(JSON.stringify(data)).toString("base64url");
}

/** Sends the page's form for passkeys. */
export function answerWith(person: Person, view: View, credential: string, more: Record<string, string> = {}) {
  const form = view.forms.find(({ fields }) => "credential" in fields);
  if (!form) throw new Error(`"${view.heading}" asks for no passkey.`);
  return person.visitor.post(form.action, { ...form.fields, credential, ...more });
}

/** The page that asks the signed-in person to create a passkey, after the proof. */
export async function newPasskeyPage(person: Person): Promise<View> {
  return person.send("/account/passkeys/add", { password: person.user.password });
}

export async function addPasskey(person: Person, key = new SecurityKey()): Promise<SecurityKey> {
  const page = await newPasskeyPage(person);
  const done = await answerWith(person, page, key.create(page));
  if (done.heading !== "Your account") throw new Error(`No passkey was added: ${done.html}`);
  return key;
}

/** A signed-in person who has a passkey. */
export async function withPasskey(key?: SecurityKey): Promise<{ person: Person; key: SecurityKey }> {
  const person = await signedIn();
  return { person, key: await addPasskey(person, key) };
}
