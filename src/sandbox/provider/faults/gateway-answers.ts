/** What comes when the provider itself was never reached: none of it is in the provider's envelope. */
interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const HTML = { "content-type": "text/html; charset=utf-8" };
const page = (title: string) =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head>\n` +
  `<body><h1>${title}</h1><hr>gateway</body></html>\n`;
const html = (status: number, title: string, headers = {}): GatewayAnswer => ({
  status,
  headers: { ...HTML, ...headers },
  text: page(title),
});

/** By the name of the fault. */
export const GATEWAY_ANSWERS = {
  "bare-404": { status: 404, headers: {}, text: "" },
  "html-404": html(404, "404 Not Found"),
  "json-404": {
    status: 404,
    headers: { "content-type": "application/json" },
    text: '{"message":"no Route matched with those values"}',
  },
  "html-403": html(403, "Request blocked"),
  "html-200": html(200, "We will be back soon"),
  "html-502": html(502, "502 Bad Gateway"),
  "html-503": html(503, "503 Service Unavailable", { "retry-after": "1" }),
  "empty-200": { status: 200, headers: {}, text: "" },
  "no-content": { status: 204, headers: {}, text: "" },
  redirect: { status: 302, headers: { location: "/login" }, text: "" },
} as const satisfies Record<string, GatewayAnswer>;

export type GatewayAnswerName = keyof typeof GATEWAY_ANSWERS;

export const GATEWAY_ANSWER_NAMES = Object.keys(GATEWAY_ANSWERS) as [
  GatewayAnswerName,
  ...GatewayAnswerName[],
];

export const isGatewayAnswer = (name: string): name is GatewayAnswerName =>
  Object.hasOwn(GATEWAY_ANSWERS, name);
