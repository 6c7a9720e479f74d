import type { Status } from "../api/client.ts";
import { liveStatus, proof, troubles } from "../api/live.ts";
import type { Proof } from "../api/proof.ts";
import { Link } from "../kit/router.tsx";
import { capital, countText, visibleText } from "../kit/text.ts";
import { shortTime, zone } from "../kit/time.ts";
import { Ago, Badge, Outside, Time } from "../parts/values.tsx";
import { BEING_CONFIRMED, doHere, sayHere, type Tone } from "../parts/words.ts";

type Need = Status["needs"][number];

/** How the relay does, in one sentence; what a person is needed for, the worst first. */
export function Headline() {
  const { value: status } = liveStatus;
  const { value: known } = proof;
  if (status === null && known === null) return null;
  // Pauses and faults that need nobody yet, where the first line only counts.
  const [, also] = (status && status.needs.length > 1 && / (Also held up: .*)$/.exec(status.sentence)) || [];
  return (
    <section
      class={`headline noted is-${toneNow(status, known)}`}
      aria-label="How it does"
      aria-live="polite"
    >
      <p class="big">{visibleText(headlineOf(status, known))}</p>
      {known?.isFresh === false && (
        <p>
          <Outside text={known.why} />
        </p>
      )}
      {also !== undefined && (
        <p class="toned is-wait">
          <Outside text={sayHere(also)} />
        </p>
      )}
      {status !== null && (
        <p class="quiet">
          {known?.isFresh === false ? "What is below is as of" : "As of"} <Time at={status.at} as="full" />
        </p>
      )}
      {troubles.value
        // What is said above already is not said again of each reading.
        .filter(
          ({ what, sentence }) => what !== "status" && (known?.isFresh !== false || sentence !== known.why),
        )
        .map(({ what, since, sentence }) => (
          <p key={what} class="toned is-bad">
            {READINGS[what] ?? capital(what)} not known since <Time at={since} />. <Outside text={sentence} />
          </p>
        ))}
      {status !== null && isHeldUp(status) && (
        <p>
          <Link to={BEING_CONFIRMED} class="button">
            Open what is being confirmed
          </Link>
        </p>
      )}
      {status !== null && status.needs.length > 0 && <Needs status={status} />}
    </section>
  );
}

/** Whether payments wait for their answers longer than a moment, as they always do for one. */
const isHeldUp = ({ waiting, needsPerson, held }: Status): boolean =>
  waiting.length > 0 && (needsPerson || held.length > 0);

/** What of the page comes with an event of the stream. */
const READINGS: Readonly<Record<string, string>> = {
  activity: "Counts, ages and upstreams:",
  payment: "The newest payments:",
};

function toneNow(status: Status | null, known: Proof | null): Tone {
  if (known?.isFresh === false) return known.isLong ? "bad" : "plain";
  return status?.needsPerson ? "bad" : status === null || status.held.length > 0 ? "wait" : "good";
}

/** How many things wait for a person, each counted once. */
export const thingsIn = ({ needs }: Pick<Status, "needs">): number =>
  needs.reduce((sum, { count }) => sum + count, 0);

/** Needs stand below it, so several are only counted. Nothing is said to be well without a proof of now. */
export function headlineOf(status: Pick<Status, "sentence" | "needs"> | null, known: Proof | null): string {
  if (known?.isFresh === false) return `Not known since ${shortTime(new Date(known.since), zone.value)}.`;
  if (status === null) return "";
  return status.needs.length > 1
    ? `A person is needed for ${countText(thingsIn(status))} things.`
    : sayHere(status.sentence);
}

/** Where something is done about a need; alarms of some names have a list of their own. */
const PAGES = {
  dead: ["attention/dead", "dead letters"],
  quarantine: ["attention/quarantine", "quarantine"],
  alarms: ["attention/alarms", "alarms"],
  completeness: ["completeness", "Completeness"],
  settings: ["settings", "Settings"],
  callback_refused: ["attention/refused", "refused callbacks"],
  invoice_anomaly: ["attention/anomalies", "anomalies"],
} as const satisfies Record<NonNullable<Need["page"]> | string, readonly [to: string, name: string]>;

function Needs({ status: { needs, alarms } }: { status: Status }) {
  return (
    <ol class="columns needs">
      {needs.map((need) => {
        const name = need.page === "alarms" ? need.alarm : null;
        // The newest of them says most of what all of them are.
        const detail = alarms.find((alarm) => alarm.name === name)?.detail ?? null;
        const own = name !== null && name in PAGES;
        const [to, where] = PAGES[own ? (name as keyof typeof PAGES) : (need.page ?? "alarms")];
        return (
          <li key={need.what} class="spread">
            <div class="grow">
              <p>
                <Badge state={need.severity} tone={need.severity === "critical" ? "bad" : "wait"} />{" "}
                {needs.length > 1 && (
                  <b>
                    <Outside text={`${capital(sayHere(need.what))}.`} />
                  </b>
                )}{" "}
                <Ages need={need} />
              </p>
              {detail !== null && (
                <p>
                  <Outside text={sayHere(detail)} />
                </p>
              )}
              <p class="quiet">
                <Outside text={doHere(name, need.action)} />
              </p>
            </div>
            {need.page !== null && (
              <Link to={name === null || own ? to : `${to}?name=${name}`} class="button">
                Open {where}
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Ages({ need: { oldestAt, newestAt, count } }: { need: Need }) {
  if (oldestAt === null) return null;
  const isSpread = count > 1 && newestAt !== null && newestAt !== oldestAt;
  return (
    <small>
      {isSpread && "the oldest "}
      <Ago at={oldestAt} />
      {isSpread && newestAt !== null && (
        <>
          , the newest <Ago at={newestAt} />
        </>
      )}
    </small>
  );
}
