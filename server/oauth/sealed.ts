import type { SealedColumn } from "../vault.ts";
import { SEALED_SIGNING_KEYS } from "./keys/rotation.ts";
import { SEALED_SUBJECT_KEYS } from "./tokens/subject-keys.ts";

export const SEALED_BY_OAUTH: SealedColumn[] = [SEALED_SIGNING_KEYS, SEALED_SUBJECT_KEYS];
