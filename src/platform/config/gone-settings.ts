const RATES = "what stands in front limits connections and requests by address; deploy/nginx shows how";

/** Settings of earlier versions, each with what to do instead: what is set and does nothing must not pass unseen. */
const GONE_SETTINGS: Readonly<Record<string, string>> = {
  CALLBACKS_PER_HOUR: RATES,
  CALLBACK_IDS_PER_HOUR: RATES,
  CALLBACK_MEBIBYTES_PER_HOUR: RATES,
  MAX_CONNECTIONS_PER_ADDRESS: RATES,
  WRONG_TOKENS_PER_MINUTE: RATES,
  LEDGER_SIGNING_KEY: "use CERTIFICATE_SIGNING_KEY",
  LEDGER_TOPIC_ARN:
    "nothing replaces it; what the tables hold is checked against the provider by certificates",
};

/** Says of a setting that it is gone, and what to do instead; null for any other name. */
export function goneSetting(name: string): string | null {
  const instead = Object.hasOwn(GONE_SETTINGS, name) ? GONE_SETTINGS[name] : undefined;
  return instead === undefined ? null : `${name} is gone: ${instead}`;
}

/** The same of each of these names that is gone. */
export const goneSettings = (names: readonly string[]): string[] =>
  names.map(goneSetting).filter((problem) => problem !== null);
