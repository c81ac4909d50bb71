export {
  bestOf,
  ENGLISH,
  ERRORS,
  errorIn,
  LANGUAGE_CODES,
  LANGUAGE_PATH,
  LANGUAGES,
  type Language,
  type LanguageCode,
  languageOf,
  learn,
  type OwnText,
  speak,
  type TenantPages,
  textNamed,
  withoutChooser,
} from "./language.ts";
export { fill, Insert, plural, Say, type Texts, unit, variablesOf } from "./texts.ts";
