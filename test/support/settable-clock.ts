import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A time of day that can be set while the processes run that have it. */
export interface SettableClock {
  /** For these processes: Debian's libfaketime, which leaves the monotonic clock alone. */
  readonly environment: Readonly<Record<string, string>>;
  /** @param by from the true time, such as `-10m` or `+1d`; read within a second. */
  set(by: string): Promise<void>;
}

export async function settableClock(folder: string): Promise<SettableClock> {
  const file = join(folder, "clock");
  const set = (by: string) => writeFile(file, by, { mode: 0o644 });
  await set("+0");
  return {
    set,
    environment: {
      LD_PRELOAD: "/usr/$LIB/faketime/libfaketimeMT.so.1",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DISABLE_SHM: "1",
    },
  };
}
