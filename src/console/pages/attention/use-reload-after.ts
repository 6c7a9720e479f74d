import { useEffect, useRef } from "preact/hooks";

/** Reads again when a figure changes that somebody else keeps; not for its first value. */
export function useReloadAfter(figure: number | undefined, reload: () => void): void {
  const last = useRef(figure);
  useEffect(() => {
    if (last.current !== undefined && figure !== last.current) reload();
    last.current = figure;
  }, [figure, reload]);
}
