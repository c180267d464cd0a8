import type { Locator, Page } from "@playwright/test";
import { call } from "../accounts";
import { expect } from "../fixtures";

export type NewChannel = { name: string; baseUrl: string; key: string; models: string };

export class ChannelPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`/channel${query}`);
  }

  row(name: string): Locator {
    return this.page.getByRole("row").filter({ hasText: name });
  }

  /** The menu button of the row with exactly this name. */
  menuOf(name: string): Locator {
    return this.page.getByRole("button", { name: `More actions for ${name}`, exact: true });
  }

  async choose(name: string, entry: string): Promise<void> {
    await this.menuOf(name).click();
    await this.page.getByRole("menuitem", { name: entry, exact: true }).click();
  }

  async create(channel: NewChannel): Promise<void> {
    await this.page.getByRole("button", { name: "Add channel" }).first().click();
    const drawer = this.page.getByRole("dialog", { name: "Add channel" });
    await drawer.getByLabel("Name", { exact: true }).fill(channel.name);
    await drawer.getByLabel("Base URL").fill(channel.baseUrl);
    await drawer.getByLabel("Key", { exact: true }).fill(channel.key);
    const models = drawer.getByLabel("Models", { exact: true });
    await models.fill(channel.models);
    await models.press("Enter");
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.getByRole("button", { name: "Done" }).click();
    await drawer.waitFor({ state: "hidden" });
  }

  async test(name: string): Promise<Locator> {
    await this.page.getByRole("button", { name: `Test channel ${name}` }).click();
    const panel = this.page.getByRole("dialog");
    await panel.getByRole("button", { name: "Run test" }).click();
    return panel.getByTestId("test-result").first();
  }

  /** Creates channels through the API. Returns their names, which start with `prefix`. */
  async make(prefix: string, rows: Record<string, unknown>[]): Promise<string[]> {
    const root = { request: this.page.request, id: 1 };
    const names = rows.map((_, at) => `${prefix}-${at}`);
    for (const [at, row] of rows.entries()) {
      const base = { type: 1, key: "sk-made", models: "gpt-4o,gpt-4o-mini", group: "default" };
      await call(root, "POST", "/api/channel/", { ...base, name: names[at], base_url: upstream(), ...row });
    }
    return names;
  }

  /** The channel as stored on the server. */
  async stored(name: string): Promise<Record<string, unknown>> {
    const root = { request: this.page.request, id: 1 };
    const rows = (await call(root, "GET", `/api/channel/search?keyword=${encodeURIComponent(name)}`)) as Record<
      string,
      unknown
    >[];
    return rows.find((row) => row.name === name) ?? {};
  }

  /** Waits until the server has stored these fields of a channel. */
  async expectStored(name: string, fields: Record<string, unknown>): Promise<void> {
    await expect.poll(() => this.stored(name)).toMatchObject(fields);
  }

  async speak(locale: "zh" | "en"): Promise<void> {
    await this.page.context().addCookies([{ name: "locale", value: locale, url: process.env.WEIR_E2E_URL ?? "" }]);
  }
}

export const upstream = () => process.env.WEIR_E2E_UPSTREAM ?? "http://127.0.0.1:9";
