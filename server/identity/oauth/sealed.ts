import type { SealedColumn } from "../../platform/vault.ts";
import { SEALED_SUBJECT_KEYS } from "./clients/subject-keys.ts";
import { SEALED_SIGNING_KEYS } from "./keys/rotation.ts";

export const SEALED_BY_OAUTH: SealedColumn[] = [SEALED_SIGNING_KEYS, SEALED_SUBJECT_KEYS];
