import { useEffect } from "preact/hooks";

const EVERY_MS = 1_000;

/** Reads again each second, for as long as something is under way. */
export function usePolled(isUnderWay: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, reload]);
}
