import { NO_USAGE } from "@/lib/billing/types";
import { ChannelSetupError } from "../../providers/setup-error";
import { namedParameters } from "../../providers/urls";
import type { Call, Encoded, EncodeTarget, Intake, Need } from "../operation";

export const REALTIME_PATH = "/v1/realtime";
const BETA = "realtime=v1";
const BETA_PROTOCOL = "openai-beta.realtime-v1";
const EMPTY = Buffer.alloc(0);
/** What a session needs is not known before it runs: its reservation follows it. */
const NEED: Need = {
  prompt: { promptTokens: 0, audioPromptTokens: 0, writesAudio: true },
  completionTokensMax: null,
  choices: 1,
  asksToThink: false,
};

/** A session with a model. Its charges are made while it runs, from what its events report. */
export class RealtimeIntake implements Intake {
  readonly operation = "realtime";
  readonly isStream = true;
  readonly fallbacks: readonly string[] = [];
  readonly need = NEED;
  readonly model: string;
  private readonly call: Pick<Call, "query" | "headers">;

  constructor(call: Pick<Call, "query" | "headers">, model: string) {
    this.call = call;
    this.model = model;
  }

  withModel(model: string): RealtimeIntake {
    return new RealtimeIntake(this.call, model);
  }

  words(): Iterable<string> {
    return [];
  }

  conversation(): null {
    return null;
  }

  /** The handshake. The key goes in a header, also where the caller sends it as a protocol. */
  encode({ row, model, channel }: EncodeTarget): Encoded {
    const serving = row.serves.realtime;
    if (!serving) throw new ChannelSetupError(`channel ${channel.id} serves no sessions`, "invalid_api_type");
    const { url = row.url } = serving;
    const query = `?model=${encodeURIComponent(model)}`;
    return {
      path: REALTIME_PATH,
      query: namedParameters(this.call.query, row.parameters),
      url: (parts) =>
        url({ ...parts, path: REALTIME_PATH, query: serving.url ? parts.query : query }).replace(/^http/i, "ws"),
      headers: this.isBeta() ? ["openai-beta", BETA] : [],
      body: EMPTY,
      openAnswer: () => {
        throw new Error("a session is no answer");
      },
    };
  }

  /** The upstream speaks the version that the caller asks for. */
  private isBeta(): boolean {
    const { headers } = this.call;
    if (headers["openai-beta"] !== undefined) return String(headers["openai-beta"]).includes(BETA);
    const protocols = String(headers["sec-websocket-protocol"] ?? "").split(",");
    return protocols.some((protocol) => protocol.trim() === BETA_PROTOCOL);
  }

  /** Never asked: a session is charged by its own events. */
  measure() {
    return NO_USAGE;
  }

  measureSoFar() {
    return NO_USAGE;
  }
}
