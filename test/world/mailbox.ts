// The mails that have arrived at an address. Any address is a mailbox; test/support/mail-server.ts has those with failures.

import { type ParsedMail, simpleParser } from "mailparser";
import type { RawMail } from "../support/mail-server.ts";
import { saw } from "../support/until.ts";
import { until } from "./api.ts";
import { setting } from "./tenant.ts";

export interface Mail extends RawMail, ParsedMail {
  to: string[] & ParsedMail["to"];
  text: string;
  html: string;
  /** The first link of the text. */
  link: string;
}

/** @returns an address of its own @param name `bounce`, `full`, `later`, `spam` and `cut` choose the server's answers */
export function newAddress(name = "person"): string {
  return `${name}-${Bun.randomUUIDv7()}@mail.test`;
}

/** The oldest first. @param url of a stack's own server; default: the shared one's */
export async function mailsTo(address: string, url = setting("GATEHOUSE_TEST_MAILBOX")): Promise<Mail[]> {
  const answer = await fetch(`${url}?${new URLSearchParams({ to: address })}`);
  const mails = (await answer.json()) as RawMail[];
  saw(`mails to ${address}`, () => String(mails.length));
  return Promise.all(mails.map(parse));
}

/** Waits for the mails. @example const [{ link }] = await arrived(address); */
export async function arrived(address: string, count = 1, url?: string): Promise<[Mail, ...Mail[]]> {
  return until(`${count} mails to ${address}`, async () => {
    const mails = await mailsTo(address, url);
    return mails.length >= count && (mails as [Mail, ...Mail[]]);
  });
}

async function parse(raw: RawMail): Promise<Mail> {
  const parsed = await simpleParser(raw.source);
  const text = parsed.text ?? "";
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  return { ...parsed, ...raw, text, html: parsed.html || "", link } as Mail;
}
