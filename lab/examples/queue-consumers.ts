import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const examples = resolve(import.meta.dirname, "../../examples");

interface QueueConsumer {
  /** The form of DATABASE_URL that the program takes. */
  databaseUrl(url: URL): string;
  /** Fetches its libraries from where the language has them. @returns the command that runs it */
  prepare(): Promise<[string, ...string[]]>;
}

/** The consumers of examples/ that read an SQS queue, by language. @param builds a folder for what is built. */
export const queueConsumers = (builds: string): Record<string, QueueConsumer> => ({
  Python: {
    databaseUrl: (url) => url.href,
    async prepare() {
      const venv = join(builds, "python");
      await execute("python3", ["-m", "venv", venv]);
      await execute(join(venv, "bin/pip"), ["install", "--quiet", "boto3", "psycopg[binary]"]);
      return [join(venv, "bin/python"), join(examples, "python/consumer.py")];
    },
  },
  Go: {
    databaseUrl: (url) => `${url.href}?sslmode=disable`,
    async prepare() {
      const program = join(builds, "consumer");
      await execute("go", ["build", "-o", program, "."], { cwd: join(examples, "go") });
      return [program];
    },
  },
  Java: {
    databaseUrl: ({ host, pathname, username, password }) =>
      `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
    async prepare() {
      const jars = join(builds, "jars");
      const words = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`];
      await execute("mvn", words, { cwd: join(examples, "java") });
      return ["java", "-cp", `${jars}/*`, join(examples, "java/Consumer.java")];
    },
  },
});
