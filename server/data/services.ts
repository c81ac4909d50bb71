import type { PersonalDataRoutes } from "./personal-data/routes.ts";
import type { ReadKept } from "./retention/kept.ts";
import type { MeasureNow } from "./retention/measure.ts";

/** The services of data for the API's routes and the console. */
export interface DataServices extends PersonalDataRoutes {
  readKept: ReadKept;
  measureNow: MeasureNow;
}
