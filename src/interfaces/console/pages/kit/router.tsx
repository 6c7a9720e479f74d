import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

const BASE = "/console/";

const address = signal(readAddress());

/** The path below `/console/`, in decoded segments; [] is where one arrives. */
export const segments = computed(() => segmentsOf(address.value.path));
/** The part behind the `?`. */
export const query = computed(() => new URLSearchParams(address.value.search));

/** Where one was on a page that one left, for when one comes back. */
interface Spot {
  row: string;
  shown: number;
}

interface Kept {
  from?: string;
  spot?: Spot;
}

const kept = (): Kept => (history.state as Kept | null) ?? {};

/** Where one was here before; null on a page that one has just come to. */
export const spot = signal<Spot | null>(kept().spot ?? null);

// A list is not there yet when the browser would scroll.
history.scrollRestoration = "manual";
window.addEventListener("popstate", () => {
  spot.value = kept().spot ?? null;
  address.value = readAddress();
});

export function keepSpot(at: Spot): void {
  history.replaceState({ ...kept(), spot: at } satisfies Kept, "");
}

/** @param to below `/console/`, without a leading slash: `payments/<id>?from=…` */
export function go(to: string, { replace = false } = {}): void {
  const url = BASE + to;
  const current = location.pathname + location.search + location.hash;
  if (url === current) return;
  if (replace) history.replaceState({ from: kept().from }, "", url);
  else history.pushState({ from: current } satisfies Kept, "", url);
  spot.value = null;
  address.value = readAddress();
  if (!replace) window.scrollTo(0, 0);
}

/** To the page above: the way one came, where one came from there, so that it is as one left it. */
export function goUp(to: string): void {
  const { from = "" } = kept();
  if (from.split(/[?#]/)[0] === BASE + to) history.back();
  else go(to);
}

/** Changes what stands behind the `?`; `undefined` and "" take a name away. Back goes to the page before. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  go(pathHere() + (next.size === 0 ? "" : `?${next}`) + location.hash, { replace: true });
}

const pathHere = () => segments.value.map(encodeURIComponent).join("/");

interface LinkProps {
  /** As for `go`. */
  to: string;
  class?: string;
  "aria-current"?: "page" | undefined;
  /** Goes there; `go` unless given. */
  onGo?: ((to: string) => void) | undefined;
  children: ComponentChildren;
}

/** A link to a page of the console; opened in a tab of its own it works as well. */
export function Link({ to, children, onGo = go, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onGo(to);
  };
  return (
    <a {...rest} href={BASE + to} onClick={onClick}>
      {children}
    </a>
  );
}

function readAddress() {
  return { path: location.pathname, search: location.search, hash: location.hash };
}

function segmentsOf(path: string): string[] {
  const below = path.startsWith(BASE) ? path.slice(BASE.length) : "";
  return below.split("/").filter(Boolean).map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
