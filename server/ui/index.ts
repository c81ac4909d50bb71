// Components for pages. All outside text is escaped here or by `safe` in the page.

export {
  bodyOf,
  ContractField,
  ContractFields,
  ContractForm,
  FieldsInSections,
  FormPanel,
  formFields,
  formOf,
  formOfRecord,
  type Labels,
  labelsOf,
  type MoreOptions,
  refusedForm,
  type Sections,
  textOf,
} from "./contract-form.tsx";
export type { FormState } from "./form.tsx";
export {
  Checkbox,
  CheckboxGroup,
  Form,
  Hidden,
  Hiddens,
  momentInUtc,
  type Option,
  SelectField,
  TextField,
} from "./form.tsx";
export { attribute, CardPage, Head, Mark, MessagePage, Problem } from "./layout.tsx";
export { type Column, Facts, find, List, type ListFilter, NotAsked, SearchForm, statusOf, Table } from "./list.tsx";
export {
  ActionButton,
  Ask,
  AskButton,
  Badge,
  ButtonLink,
  Choices,
  Code,
  CopyButton,
  EmptyState,
  Live,
  Pager,
  phrase,
  Refreshing,
  Section,
  Text,
} from "./parts.tsx";
export { decisionOf, type Effect, Effects, type Question } from "./question.tsx";
export { inRange, Ranges } from "./range.tsx";
export {
  CSS,
  createSite,
  createSiteOf,
  JAVASCRIPT,
  pageResponse,
  SHARED_STYLES,
  type Site,
  type SiteOf,
  TIME_SCRIPT,
} from "./site.ts";
export { durationInWords, RawTime, Sentence, Time } from "./time.tsx";
export { TOKENS_ELSEWHERE } from "./tokens.ts";
export { sealedFields } from "./visit.ts";
