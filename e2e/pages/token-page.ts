import type { Locator, Page } from "@playwright/test";
import { call } from "../accounts";

export class TokenPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`/token${query}`);
  }

  row(name: string): Locator {
    return this.page.getByRole("row").filter({ hasText: name });
  }

  /** Creates an unlimited token through the API, for the page's user (root unless told), and returns its key. */
  async make(name: string, userId = 1): Promise<string> {
    const caller = { request: this.page.request, id: userId };
    const { key } = (await call(caller, "POST", "/api/token/", { name, unlimited_quota: true })) as { key: string };
    return `sk-${key}`;
  }

  /** Creates a token in the drawer and returns the key, which is shown once. */
  async create(name: string): Promise<string> {
    await this.page.getByRole("button", { name: "Add API key" }).first().click();
    const drawer = this.page.getByRole("dialog", { name: "Add API key" });
    await drawer.getByLabel("Name").fill(name);
    await drawer.getByRole("switch", { name: "No spending limit" }).click();
    await drawer.getByRole("button", { name: "Submit" }).click();
    const shown = this.page.getByTestId("new-key");
    const key = (await shown.textContent()) ?? "";
    await this.page.getByRole("button", { name: "I have saved it" }).click();
    await shown.waitFor({ state: "hidden" });
    return key;
  }

  async choose(name: string, item: string): Promise<void> {
    await this.page.getByRole("button", { name: `More actions for ${name}` }).click();
    await this.page.getByRole("menuitem", { name: item }).click();
  }
}
