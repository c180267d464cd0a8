import type { Locator, Page } from "@playwright/test";

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

  async create(channel: NewChannel): Promise<void> {
    await this.page.getByRole("button", { name: "Add channel" }).first().click();
    const drawer = this.page.getByRole("dialog", { name: "Add channel" });
    await drawer.getByLabel("Name", { exact: true }).fill(channel.name);
    await drawer.getByLabel("Base URL").fill(channel.baseUrl);
    await drawer.getByLabel("Key", { exact: true }).fill(channel.key);
    const clear = drawer.getByRole("button", { name: "Clear models" });
    if (await clear.isEnabled()) await clear.click();
    const models = drawer.getByLabel("Models", { exact: true });
    await models.fill(channel.models);
    await models.press("Enter");
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.waitFor({ state: "hidden" });
  }

  /** Opens the test panel of a channel, runs one test and returns its result. */
  async test(name: string): Promise<Locator> {
    await this.page.getByRole("button", { name: `Test channel ${name}` }).click();
    const panel = this.page.getByRole("dialog");
    await panel.getByRole("button", { name: "Run test" }).click();
    return panel.getByTestId("test-result").first();
  }
}
