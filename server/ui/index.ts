// Components of the sign-in pages and the console. Outside text is escaped here, or by `safe` in the page.
// It imports platform/ only, and knows no record.
// Begin with layout.tsx and form.tsx.

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
export { inRange, SearchForm } from "./filters.tsx";
export {
  Checkbox,
  Fields,
  Form,
  type FormState,
  Hidden,
  Hiddens,
  momentInUtc,
  type Option,
  SelectField,
  Submit,
  TextField,
} from "./form.tsx";
export { phrase } from "./isolated.ts";
export { ISSUED_TOKENS } from "./issued-tokens.ts";
export { attribute, CardPage, Head, Mark, MessagePage, Problem } from "./layout.tsx";
export {
  askColumn,
  type Column,
  find,
  List,
  type ListProps,
  ListSection,
  Table,
} from "./list.tsx";
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
  type Fact,
  Facts,
  Link,
  LinkBar,
  Live,
  Pager,
  Section,
  Text,
} from "./parts.tsx";
export { decisionOf, type Effect, Effects, type Question } from "./question.tsx";
export * as sites from "./site.ts";
export { pageResponse, type Site } from "./site.ts";
export * as texts from "./texts/index.ts";
export { durationInWords, Sentence, Time } from "./time.tsx";
export { sealedFields } from "./visit.ts";
