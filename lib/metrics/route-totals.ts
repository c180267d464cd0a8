import type { Settlement } from "@/lib/billing/settle";
import { LOG_TYPE } from "@/lib/row-status";
import type { Answers } from "./answers";
import type { Sample } from "./family";
import { Histogram } from "./histogram";
import type { RouteFamilies } from "./route-families";

const WHOLE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];
const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 25, 60];

type MoneyOptions = { QuotaPerUnit: number; CurrencySymbol: string };

/** What the requests for one model at one channel came to. */
export class RouteTotals {
  readonly answers: Answers;
  private readonly whole = new Histogram(WHOLE_SECONDS);
  private readonly firstToken = new Histogram(FIRST_TOKEN_SECONDS);
  private prompt = 0;
  private cached = 0;
  private completion = 0;
  private quota = 0;
  private cost = 0;
  /** By the site's symbol for its currency, which can be changed. */
  private readonly money = new Map<string, number>();

  constructor(answers: Answers) {
    this.answers = answers;
  }

  add({ type, usage, quota, cost, firstTokenMs }: Settlement, wholeMs: number, options: MoneyOptions): void {
    this.whole.observe(wholeMs / 1_000);
    if (firstTokenMs !== null) this.firstToken.observe(firstTokenMs / 1_000);
    if (cost.quota !== null) this.cost += cost.quota;
    if (type === LOG_TYPE.error) return;
    this.prompt += usage.promptTokens;
    this.cached += usage.cachedTokens;
    this.completion += usage.completionTokens;
    if (quota === 0) return;
    this.quota += quota;
    const { CurrencySymbol: symbol, QuotaPerUnit: unit } = options;
    this.money.set(symbol, (this.money.get(symbol) ?? 0) + quota / unit);
  }

  read(labels: Sample["labels"], families: RouteFamilies): void {
    families.requests.values.push(...this.answers.samples(labels));
    if (this.whole.count === 0) return;
    families.duration.values.push(...this.whole.samples(families.duration.name, labels));
    if (this.firstToken.count > 0)
      families.firstToken.values.push(...this.firstToken.samples(families.firstToken.name, labels));
    for (const [kind, value] of Object.entries({
      prompt: this.prompt,
      cached: this.cached,
      completion: this.completion,
    })) {
      families.tokens.values.push({ labels: { ...labels, kind }, value });
    }
    families.quota.values.push({ labels, value: this.quota });
    families.cost.values.push({ labels, value: this.cost });
    for (const [currency, value] of this.money) {
      families.money.values.push({ labels: { ...labels, currency }, value });
    }
  }
}
