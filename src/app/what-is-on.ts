import { hasChecks } from "../kit/callback-checks.ts";
import type { Logger } from "../kit/log.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/source.ts";
import { tracesUrl } from "./tracing.ts";

/**
 * What a relay does with its settings, and what it leaves out, for the first line of its log. It holds no
 * value of a setting.
 */
export function whatIsOn(
  settings: ServeSettings,
  sources: readonly Source[],
): { on: string[]; off: string[] } {
  const has = (test: (source: Source) => boolean) => sources.some(test);
  const features: [name: string, isOn: boolean][] = [
    ["reconciliation (COLLECTION_IDS)", sources.every(({ collectionIds }) => collectionIds.length > 0)],
    [
      "checks of callbacks (CALLBACK_HMAC_SECRETS and others)",
      has(({ callbackChecks }) => hasChecks(callbackChecks)),
    ],
    ["events of Test invoices (SNS_TEST_TOPIC_ARN)", has(({ snsTestTopicArn }) => snsTestTopicArn !== null)],
    ["the payer's data in events (EVENT_PERSONAL_DATA)", settings.EVENT_PERSONAL_DATA === "full"],
    [
      "a rate limit at the provider (CONFIRM_RATE_PER_SECOND)",
      settings.CONFIRM_RATE_PER_SECOND !== undefined,
    ],
    ["admin API and console (ADMIN_TOKENS)", settings.ADMIN_TOKENS !== undefined],
    ["a port for operators (OPS_PORT)", settings.OPS_PORT !== undefined],
    ["alarms to people (ALARM_WEBHOOK_URL)", settings.ALARM_WEBHOOK_URL !== undefined],
    ["traces (OTEL_EXPORTER_OTLP_ENDPOINT)", tracesUrl(settings) !== null],
  ];
  const named = (wanted: boolean) => features.filter(([, isOn]) => isOn === wanted).map(([name]) => name);
  return { on: named(true), off: named(false) };
}

/**
 * The first lines of `serve`: what is on and off, and each source whose missed callbacks would go unnoticed.
 */
export function tellWhatIsOn(log: Logger, settings: ServeSettings, sources: readonly Source[]): void {
  const { on, off } = whatIsOn(settings, sources);
  log.info({ on, off, sources: sources.length }, "what is on, and what is off");
  for (const { name, reconciliation } of sources)
    if (reconciliation === "unset")
      log.warn(
        { source: name },
        "not reconciled: a payment whose callback never comes is missed; set COLLECTION_IDS, or none if " +
          "that is meant",
      );
}
