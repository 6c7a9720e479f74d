import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

const BASE = "/console/";

const address = signal(readAddress());

/** The path below `/console/`, in decoded segments; [] is where one arrives. */
export const segments = computed(() => segmentsOf(address.value.path));
/** The part behind the `?`. */
export const query = computed(() => new URLSearchParams(address.value.search));

window.addEventListener("popstate", () => {
  address.value = readAddress();
});

/** @param to below `/console/`, without a leading slash: `payments/<id>?from=…` */
export function go(to: string, { replace = false } = {}): void {
  const url = BASE + to;
  const current = location.pathname + location.search;
  if (url === current) return;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  address.value = readAddress();
  if (!replace) window.scrollTo(0, 0);
}

/** Changes what stands behind the `?`; `undefined` and "" take a name away. Back goes to the page before. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  go(pathHere() + (next.size === 0 ? "" : `?${next}`), { replace: true });
}

const pathHere = () => segments.value.map(encodeURIComponent).join("/");

interface LinkProps {
  /** As for `go`. */
  to: string;
  class?: string;
  "aria-current"?: "page" | undefined;
  children: ComponentChildren;
}

/** A link to a page of the console; opened in a tab of its own it works as well. */
export function Link({ to, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={BASE + to} onClick={onClick}>
      {children}
    </a>
  );
}

function readAddress() {
  return { path: location.pathname, search: location.search };
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
