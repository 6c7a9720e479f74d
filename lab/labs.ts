/** A laboratory: what is run on purpose, by `npm run lab -- <name>`. */
export interface Lab {
  /** One line for the list. */
  about: string;
  /** The program in the lab's folder; without it, the lab is the tests of its folder. */
  program?: string;
  /** Debian's packages that it needs, which root installs. */
  packages?: readonly string[];
  /** Whether it builds in the checkout, which one lab at a time may do. */
  builds?: true;
  /** The command lines that CI runs of it after a change; without them, it is run by hand and before a release. */
  quick?: readonly string[];
  /** What it is about: a change below one of these paths, or in the lab's own folder, has CI run `quick`. */
  paths?: readonly string[];
}

const POSTGRES = ["postgresql-15"];

/** Whatever a payment passes from its callback to SNS. */
const PATH = [
  "migrations",
  "src/pipeline/receive",
  "src/pipeline/confirm",
  "src/pipeline/publish",
  "src/platform/worker",
  "src/platform/upstreams",
];

/** Every lab by its name, which is also its folder's. CI reads here what a change touches. */
export const LABS: Readonly<Record<string, Lab>> = {
  aws: {
    about: "the packaged stack, deployed into a stranger's AWS (moto), under Amazon's own emulator",
    program: "main.ts",
  },
  bench: {
    about: "how fast each part is, and what a payment costs (docs/performance.md)",
    program: "main.ts",
    quick: ["intake --quick"],
  },
  chaos: {
    about: "traffic under random faults; every guarantee is checked at the end: --minutes 10 --seed 1",
    program: "main.ts",
    quick: ["--minutes 0.5 --seed 1"],
    paths: [...PATH, "src/platform/database", "lab/environment", "lab/checker"],
  },
  checker: {
    about: "the checker of chaos and crashes, against broken runs: it has to find each break",
    quick: [""],
  },
  console: {
    about: "every page in a browser: axe, journeys; pictures of all with SCREENSHOTS=<folder>",
    builds: true,
    quick: [""],
    paths: ["src/interfaces/console", "src/interfaces/admin-api"],
  },
  crash: {
    about: "SIGKILL at every failpoint; --kind pause stops the process instead; --only selects some",
    program: "main.ts",
    quick: ["--only callback"],
    paths: [...PATH, "lab/environment", "lab/checker"],
  },
  documents: {
    about: "Kubernetes, Compose, OpenAPI, AsyncAPI, the Dockerfile and workflows, by others' schemas",
    quick: [""],
    paths: [
      "deploy/kubernetes",
      "compose.yaml",
      "Dockerfile",
      ".github",
      "src/interfaces/admin-api",
      "src/events",
    ],
  },
  examples: {
    about: "the consumers and verifiers of examples/, in each of their languages",
    packages: ["python3", "python3-cryptography", "python3-venv", "php-cli", "php-pgsql", "golang", "maven"],
    quick: [""],
    paths: ["examples", "src/events", "src/platform/signing", "src/sandbox/sns"],
  },
  front: {
    about: "hostile bytes through the shipped nginx, its log, and the router of several groups",
    packages: ["nginx-light"],
    quick: [""],
    paths: ["deploy/nginx", "src/pipeline/receive", "src/platform/http/http-server.ts"],
  },
  lambda: {
    about: "the stack's template, by cfn-lint too, and its bundles, as npm run package:lambda makes them",
    packages: ["python3", "python3-venv"],
    builds: true,
    quick: [""],
    paths: ["serverless.yml", "deploy/lambda", "src/runtime/lambda", "src/platform/alarms/definitions"],
  },
  libreoffice: {
    about: "reports opened by LibreOffice: no formula, every digit",
    packages: ["libreoffice-calc-nogui"],
    quick: [""],
    paths: ["src/operations"],
  },
  mutation: {
    about: "changes of the code, which a test has to notice: --mutate src/pipeline/confirm/decide.ts",
    program: "main.ts",
  },
  packages: {
    about: "both npm packages, installed into empty projects, on Node 20 and 24",
    builds: true,
    quick: [""],
    paths: [
      "package.json",
      "tools/build.ts",
      "tools/pack-events.ts",
      "src/events",
      "src/provider/collection-api",
    ],
  },
  postgres: {
    about: "the tests of the database on another PostgreSQL: 15, 16 or 17",
    program: "main.ts",
    packages: POSTGRES,
  },
  pages: {
    about: "how many pages of its list a provider is asked for to stay complete, by payments a day",
    program: "main.ts",
    quick: ["--per-day 100,1000"],
    paths: ["src/pipeline/reconcile"],
  },
  prometheus: {
    about: "a real Prometheus over the metrics, rules and dashboard",
    packages: ["prometheus"],
    quick: [""],
    paths: ["deploy/prometheus", "deploy/grafana", "src/platform/metrics/metrics.ts"],
  },
  recovery: {
    about: "backups restored, secrets replaced, a standby that takes over, a disk that fills, PgBouncer",
    packages: [...POSTGRES, "pgbouncer"],
    quick: [""],
    paths: ["migrations", "src/platform/database", "src/pipeline/receive/log", "docs/operations.md"],
  },
  scenarios: {
    about:
      "random payments, lists, dates, corrections, holes; every certificate is decided: --count 200 --seed 1",
    program: "main.ts",
    quick: ["--count 25 --seed 1"],
    paths: ["src/pipeline/reconcile", "src/provider", "src/provider/collection-api"],
  },
  volume: {
    about: "very many payments certified, reported, searched and dropped, a flood of made-up ids, and rest",
    quick: ["-t retention|search"],
    paths: ["src/operations/retention.ts", "src/operations/find.ts", "src/pipeline/receive/log"],
  },
};
