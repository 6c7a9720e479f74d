import { resolve } from "node:path";
import { readSettings } from "../kit/settings.ts";
import { type Happening, type Happenings, watchHappenings } from "./dev-happenings.ts";
import { writeLocalSettings } from "./dev-settings.ts";
import {
  createSampleInvoice,
  type LocalWorld,
  type LocalWorldOptions,
  type SampleInvoice,
  startLocalWorld,
} from "./dev-world.ts";

export interface DevOptions
  extends Pick<LocalWorldOptions, "environment" | "database" | "log" | "remark" | "signal"> {
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

/** Other programs use the name PORT too: a value that is no port was meant for one of them. */
function wantedPort(given: string | undefined, remark: (text: string) => void): number {
  try {
    return given === undefined ? PORTS.relay : readSettings({ PORT: given }).PORT;
  } catch {
    remark(`PORT is no port here: the relay takes ${PORTS.relay}.`);
    return PORTS.relay;
  }
}

/** `npm start`: everything on this machine, kept in DATA_DIR, with an invoice to pay. */
export async function startDev({ tell, ...options }: DevOptions): Promise<RunningDev> {
  const { environment, log, remark } = options;
  const dataDir = resolve(readSettings({ DATA_DIR: environment.DATA_DIR }).DATA_DIR);
  let happenings: Happenings | null = null;
  const world = await startLocalWorld({
    ...options,
    dataDir,
    durable: true,
    reconciles: true,
    ports: { ...PORTS, relay: wantedPort(environment.PORT, remark) },
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
