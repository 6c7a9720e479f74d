import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ageMark, now, setClock, tick } from "../kit/time.ts";
import { type Activity, type Happening, readSession, type Status, type Trouble } from "./client.ts";
import { type Connection, proofOf, withoutTrouble, withTrouble } from "./proof.ts";

export const connection = signal<Connection>("connecting");
/** Readings that fail in the relay, as long as they do. */
export const troubles = signal<readonly Trouble[]>([]);

/** The newest of each, as the relay sends them every few seconds. */
export const liveActivity = signal<Activity | null>(null);
const heard = signal<{ status: Status; age: () => number } | null>(null);
export const liveStatus = computed(() => heard.value?.status ?? null);
/** The newest first; what came since the console was opened. */
export const happenings = signal<readonly Happening[]>([]);
const KEPT_LIMIT = 50;

const TICK_MS = 1_000;
/** The relay sends something every 5 s: a stream that is silent for so long is dead, though nothing closed it, in ms. */
const SILENT_MS = 30_000;

/** Whether the status is of now; null before the first one. */
export const proof = computed(() => {
  // Computed anew each second.
  now.value;
  const status = heard.value && { at: heard.value.status.at, ageMs: heard.value.age() };
  return proofOf({ connection: connection.value, status, troubles: troubles.value });
});

/** Takes a status that was asked for; an older one than that which is there says nothing. */
export function noteStatus(status: Status): void {
  const { value: last } = heard;
  if (last === null || Date.parse(last.status.at) <= Date.parse(status.at)) takeStatus(status);
}

/** The stream's are in order, also where the relay's clock was set back. */
function takeStatus(status: Status): void {
  setClock(status.at);
  heard.value = { status, age: ageMark() };
}

const liveParts = signal(0);
/** Whether what is on the page keeps up with the relay. */
export const isPageLive = computed(() => liveParts.value > 0);

/** Keeps a part of a page up to date with the relay while it is shown. */
export function useLive(isLive = true): void {
  useEffect(() => {
    if (!isLive) return;
    liveParts.value += 1;
    return () => {
      liveParts.value -= 1;
    };
  }, [isLive]);
}

/** A refused connection ends an EventSource for good: after so long we try one of our own, in ms. */
const AGAIN_MS = 4_000;

/** Listens until `stop` is called. */
export function listen(): () => void {
  let source: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let silence = ageMark();
  const ticking = setInterval(() => {
    tick();
    if (source?.readyState === EventSource.OPEN && silence() > SILENT_MS) open();
  }, TICK_MS);
  const open = () => {
    source?.close();
    silence = ageMark();
    source = new EventSource("/admin/v1/live");
    source.addEventListener("open", () => {
      connection.value = "open";
    });
    const on = <Data>(name: string, take: (data: Data) => void) =>
      source?.addEventListener(name, ({ data }: MessageEvent<string>) => {
        silence = ageMark();
        troubles.value = withoutTrouble(troubles.value, name);
        take(JSON.parse(data) as Data);
      });
    on<Status>("status", takeStatus);
    on<Activity>("activity", (activity) => (liveActivity.value = activity));
    on<Happening>("payment", (payment) => {
      happenings.value = [payment, ...happenings.value].slice(0, KEPT_LIMIT);
    });
    on<Trouble>("trouble", (trouble) => (troubles.value = withTrouble(troubles.value, trouble)));
    source.addEventListener("error", () => {
      connection.value = "lost";
      void readSession();
      if (source?.readyState !== EventSource.CLOSED) return;
      clearTimeout(again);
      again = setTimeout(open, AGAIN_MS);
    });
  };
  open();
  return () => {
    clearInterval(ticking);
    clearTimeout(again);
    source?.close();
    connection.value = "connecting";
    troubles.value = [];
    heard.value = null;
    liveActivity.value = null;
    happenings.value = [];
  };
}
