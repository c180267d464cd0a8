import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a token endpoint answers: a status and a body, or whatever a function makes of the response. */
export type TokenAnswer = { status?: number; body: unknown } | ((response: ServerResponse) => void);

export type FakeTokenServer = {
  url: string;
  /** The form of every request, in order. */
  forms: URLSearchParams[];
  /** The path of every request, in order. */
  paths: string[];
  /** Decides on each answer; by default every request gets another token, which is valid for an hour. */
  answer: (nth: number) => TokenAnswer;
  close: () => Promise<void>;
};

/** An OAuth 2.0 token endpoint on loopback. */
export async function startFakeTokenServer(): Promise<FakeTokenServer> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    fake.forms.push(new URLSearchParams(Buffer.concat(parts).toString("utf8")));
    fake.paths.push(request.url ?? "");
    const answer = fake.answer(fake.forms.length);
    if (typeof answer === "function") return answer(response);
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status ?? 200, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const fake: FakeTokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forms: [],
    paths: [],
    answer: usualAnswer,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return fake;
}

/** The token that the nth request gets. */
export const fakeToken = (nth: number): string => `access-token-number-${nth}`;

function usualAnswer(nth: number): TokenAnswer {
  return { body: { access_token: fakeToken(nth), expires_in: 3_600, token_type: "Bearer" } };
}
