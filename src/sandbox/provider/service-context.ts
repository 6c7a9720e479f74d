import type { Logger } from "../../platform/log/index.ts";
import type { FaultBox } from "./faults.ts";
import type { ApiKeys } from "./load-seed.ts";
import type { ServiceDatabase } from "./tables.ts";

/** The dependencies that all routes of one running service share. */
export interface ServiceContext {
  readonly db: ServiceDatabase;
  readonly faults: FaultBox;
  readonly keys: ApiKeys;
  readonly log: Logger;
  /** Where payers reach the service, no slash at the end. */
  readonly publicUrl: string;
  /** The name that newly linked accounts are held in. */
  readonly accountHolder: string;
  wakeDeliveries(): void;
}
