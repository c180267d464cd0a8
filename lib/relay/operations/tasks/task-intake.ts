import type { Sql } from "@/db/client";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { randomAlphanumeric } from "@/lib/crypto";
import { overrideParameters } from "@/lib/param-override";
import type { AnswerRefused, Report } from "../../answers/answer";
import type { NewTask, Task } from "../../answers/task";
import { databaseAway, RelayError } from "../../base/relay-error";
import type { Secrets } from "../../base/secrets";
import type { Owner } from "../../base/upstream-objects/queries";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import { unsupportedType } from "../../providers/setup-error";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { DocumentAnswer } from "../documents/document-answer";
import type { BoundIntake, Call, Encoded, EncodeTarget, Intake, Need, OperationId } from "../operation";
import { refused } from "../operation";
import { newTask, type Submitting } from "./new-task";
import type { Follows, Submission, TaskUpstream, TaskWire } from "./platform";
import { findTasks } from "./queries";
import { failedTask, lostTask, noTask, refusedSubmission } from "./upstream-words";

const NONE: readonly string[] = [];
const TIME_LIMIT_SECONDS = 3_600;
/** 190 bits: who does not know an id cannot guess it. */
const ID_LENGTH = 32;

type Read = {
  wire: TaskWire<unknown>;
  upstreams: ReadonlyMap<string, TaskUpstream<unknown>>;
  call: Call;
  submission: Submission<unknown>;
  storedAddress: string | null;
  /** What it goes on with; null = nothing, or not looked up yet. */
  original: Task | null;
  taskId: string;
};

export type TaskRead = Omit<Read, "original" | "taskId">;

/** A submission, as the stages need it. */
export class TaskIntake implements Intake {
  readonly isStream = false;
  readonly makesTask = true;
  readonly fallbacks = NONE;
  readonly isBound: boolean;
  private readonly read: Read;

  constructor(read: TaskRead & Partial<Read>) {
    this.read = { original: null, taskId: randomAlphanumeric(ID_LENGTH), ...read };
    this.isBound = read.submission.follows !== undefined;
  }

  get operation(): OperationId {
    return this.read.wire.operation;
  }

  get storedAddress(): string | null {
    return this.read.storedAddress;
  }

  get model(): string {
    return this.read.submission.model;
  }

  withModel(model: string): TaskIntake {
    return new TaskIntake({ ...this.read, submission: { ...this.read.submission, model } });
  }

  words(): Iterable<string> {
    return [this.read.submission.prompt];
  }

  conversation(): null {
    return null;
  }

  get need(): Need {
    return {
      prompt: { promptTokens: 0, audioPromptTokens: 0, writesAudio: false },
      meters: this.read.submission.meters,
      completionTokensMax: 0,
      choices: 1,
      asksToThink: false,
    };
  }

  /** Looks up the task that it goes on with. Rejects with RelayError. */
  async bind(sql: Sql, owner: Owner, options: UpstreamOptions): Promise<BoundIntake> {
    const { follows } = this.read.submission;
    if (!follows) throw new Error("a submission of its own has nothing to look up");
    const original = await findOriginal(sql, owner, this.read.wire.id, follows, options);
    const { channelId, keyHash } = original;
    return { intake: new TaskIntake({ ...this.read, original }), channelId, keyHash };
  }

  encode({ channel, row, model, options }: EncodeTarget): Encoded {
    const { wire, upstreams, call, submission, original, taskId } = this.read;
    const serving = row.serves[wire.operation];
    const upstream = serving && upstreams.get(serving.format);
    if (!serving || !upstream) throw unsupportedType(channel.type);
    let encoded: EncodedTask;
    try {
      encoded = upstream.encode(submission.request, { model, original, options });
    } catch (error) {
      throw refused(error, call);
    }
    const given = {
      taskId,
      platform: upstream.id,
      wire: wire.id,
      timeLimitSeconds: upstream.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
      isOpen: upstream.tellsUsage ?? false,
      submission,
      submitTime: Date.now(),
    };
    return {
      path: encoded.path,
      url: serving.url,
      query: "",
      headers: NONE,
      ...("contentType" in encoded ? { contentType: encoded.contentType } : {}),
      body: bytesOf(encoded, channel.paramOverride),
      openAnswer: (secrets) => new TaskAnswer(given, wire, upstream, secrets),
    };
  }

  /** What was asked for is charged when an upstream has taken it, whatever becomes of it; its end may change that. */
  measure(report: Report | null): BilledUsage {
    if (!report?.task) return NO_USAGE;
    const { meters, isOpen } = report.task;
    return isOpen ? { ...NO_USAGE, meters, areMetersOpen: true } : { ...NO_USAGE, meters };
  }

  measureSoFar(): Pick<BilledUsage, "promptTokens" | "completionTokens"> {
    return NO_USAGE;
  }
}

type EncodedTask = ReturnType<TaskUpstream<unknown>["encode"]>;

function bytesOf(encoded: EncodedTask, override: Readonly<Json>): Buffer {
  if ("contentType" in encoded) return encoded.body;
  return Buffer.from(JSON.stringify({ ...encoded.body, ...overrideParameters(encoded.body, {}, override) }));
}

/** The caller's own task that another goes on with. What somebody else made is as unknown as what nobody made. */
async function findOriginal(
  sql: Sql,
  owner: Owner,
  wire: string,
  { taskId, mustBeDone }: Follows,
  options: UpstreamOptions,
): Promise<Task> {
  const found = await findTasks(sql, owner, wire, [taskId]).catch((error: unknown) => {
    throw databaseAway({ what: "tasks could not be looked up", cause: error });
  });
  const [task] = found;
  if (!task || task.upstreamId === "") throw refusal("task_not_found", "the task was not found");
  if (mustBeDone(options) && task.status !== "SUCCESS") {
    throw refusal("task_status_not_success", "the task must have succeeded before");
  }
  return task;
}

function refusal(name: "task_not_found" | "task_status_not_success", message: string): RelayError {
  return new RelayError(name, `${name}: ${message}`);
}

/** An upstream's answer to a submission: the task that it has taken. */
class TaskAnswer extends DocumentAnswer {
  private readonly made: { task: NewTask | null };

  constructor(given: Submitting, wire: TaskWire<unknown>, upstream: TaskUpstream<unknown>, secrets: Secrets) {
    const made: { task: NewTask | null } = { task: null };
    super((body) => {
      const text = body.toString("utf8");
      const json = parseJsonObject(text);
      if (!json) throw lostTask();
      const submitted = upstream.readSubmitted(json, given.submission.request);
      if (submitted.state.status === "FAILURE") throw failedTask(json);
      // A task without an id cannot be polled.
      if (submitted.upstreamId === "" && submitted.state.status !== "SUCCESS") throw noTask(json);
      made.task = newTask(given, submitted, (part) => secrets.redact(part));
      const rendered = JSON.stringify(wire.renderSubmitted(made.task.task, submitted));
      return { body: Buffer.from(secrets.redact(rendered)), usage: null, meters: null };
    });
    this.made = made;
  }

  protected override refuse(status: number, body: Buffer, retryAfter: string | undefined): AnswerRefused {
    return refusedSubmission(status, body, retryAfter);
  }

  override report(): Report {
    const report = super.report();
    return this.made.task ? { ...report, task: this.made.task } : report;
  }
}
