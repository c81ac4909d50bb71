import type { SealedColumn } from "../platform/vault.ts";
import { SEALED_MAILS } from "./mail/mails.store.ts";
import { SEALED_SUBJECT_KEYS } from "./oauth/clients/subject-keys.ts";
import { SEALED_SIGNING_KEYS } from "./oauth/keys/key-rotation.ts";
import { SEALED } from "./signin/sealed.ts";

export const SEALED_BY_IDENTITY: SealedColumn[] = [SEALED_SIGNING_KEYS, SEALED_SUBJECT_KEYS, ...SEALED, SEALED_MAILS];
