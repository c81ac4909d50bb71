// What pages are made of. Every text that comes from outside is escaped in here, or where a page writes it by `safe`.

export { durationInWords, Sentence, Time } from "../../signin/index.ts";
export { confirmation } from "./confirm.tsx";
export {
  bodyOf,
  ContractField,
  ContractForm,
  type ContractFormProps,
  formFields,
  formOfRecord,
} from "./contract-form.tsx";
export { Checkbox, CheckboxGroup, Form, Hidden, type Option, SelectField, TextField } from "./form.tsx";
export { type FormState, formOf, refusedForm } from "./form-state.ts";
export { find, List, NotAsked, statusOf } from "./list.tsx";
export { inUtc, momentInUtc } from "./moment.ts";
export {
  ActionButton,
  AskButton,
  Badge,
  ButtonLink,
  Code,
  CopyButton,
  EmptyState,
  Live,
  Pager,
  Refreshing,
  Section,
  Text,
} from "./parts.tsx";
export { phrase } from "./phrase.ts";
export { SearchForm } from "./search.tsx";
export { type Column, Facts, Table } from "./table.tsx";
