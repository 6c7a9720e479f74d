/** What a bench may be told on the command line. */
export interface BenchOptions {
  json: boolean;
  rounds: number;
  /** How long one measurement of a rate lasts, in ms. */
  ms: number;
  /** Show where the relay's CPU time goes. */
  profile: boolean;
  /** How many recorded callbacks one drain has. */
  callbacks: number;
  /** Include what takes long: ten million rows. */
  long: boolean;
  /** Payments of the past in a full log. */
  rows: number;
  minutes: number;
  /** The relay only, without what it is compared with. */
  alone: boolean;
  /** Callbacks a second of the soak; null: by what the whole path takes. */
  perSecond: number | null;
}
