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
  speak,
  withoutChooser,
} from "./language.ts";
export { fill, Insert, plural, Say, type Texts, unit, variablesOf } from "./texts.ts";
