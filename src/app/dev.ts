import { resolve } from "node:path";
import type { Logger } from "../kit/log.ts";
import { readSettings } from "../kit/settings.ts";
import { type Happening, type Happenings, watchHappenings } from "./dev-happenings.ts";
import { createSampleInvoice, type SampleInvoice } from "./dev-sample-invoice.ts";
import { writeLocalSettings } from "./dev-secrets.ts";
import { type LocalWorld, startLocalWorld } from "./dev-world.ts";

export interface DevOptions {
  environment: Record<string, string | undefined>;
  log: Logger;
  /** Called with what just happened, in order. */
  tell: (happening: Happening) => void;
}

export interface RunningDev {
  world: LocalWorld;
  dataDir: string;
  /** Its settings, for other commands. */
  settingsFile: string;
  /** A fresh invoice to pay. */
  sample: SampleInvoice;
  stop(): Promise<void>;
}

/** What `npm start` wants; free ones where they are taken. */
const PORTS = { relay: 4000, collectionService: 4001, sns: 4002, postgres: 4003 };

/** `npm start`: everything on this machine, kept in DATA_DIR, with an invoice to pay. */
export async function startDev({ environment, log, tell }: DevOptions): Promise<RunningDev> {
  const { PORT, DATA_DIR } = readSettings({ PORT: environment.PORT, DATA_DIR: environment.DATA_DIR });
  const dataDir = resolve(DATA_DIR);
  let happenings: Happenings | null = null;
  const world = await startLocalWorld({
    environment,
    dataDir,
    durable: true,
    reconciles: true,
    ports: { ...PORTS, relay: PORT },
    log,
    onMessage: (message) => happenings?.received(message),
  });
  try {
    happenings = await watchHappenings({ db: world.db, log, tell });
    const watched = happenings;
    const stop = async () => {
      await watched.stop();
      await world.stop();
    };
    const settingsFile = await writeLocalSettings(dataDir, world.environment);
    return { world, dataDir, settingsFile, sample: await createSampleInvoice(world), stop };
  } catch (error) {
    await happenings?.stop();
    await world.stop();
    throw error;
  }
}
