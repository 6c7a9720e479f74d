import type { Destination } from "../destination/destination.ts";
import { snsDestination } from "../destination/sns-destination.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Check } from "./check.ts";
import { checkSnsTopic } from "./doctor-sns.ts";

/** The most requests to a destination that one process has under way. */
export const CONNECTIONS = 8;
const TIMEOUT_MS = 10_000;

/**
 * A kind of destination, and how `doctor` looks at a topic of one. A second kind would be chosen by a
 * setting.
 */
interface DestinationKind {
  open(settings: ServeSettings, connections: number): Destination;
  check(topic: string, about: string, settings: ServeSettings): Promise<Check>;
}

const openSns = (settings: ServeSettings, connections: number): Destination =>
  snsDestination({
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_SNS,
    connections,
    timeoutMs: TIMEOUT_MS,
  });

const SNS: DestinationKind = {
  open: openSns,
  check: (topic, about, settings) => checkSnsTopic(openSns(settings, 1), topic, about, settings.AWS_REGION),
};

export const destinationKindOf = (_settings: ServeSettings): DestinationKind => SNS;

/** Where events go. */
export const destinationOf = (settings: ServeSettings, connections = CONNECTIONS): Destination =>
  destinationKindOf(settings).open(settings, connections);
