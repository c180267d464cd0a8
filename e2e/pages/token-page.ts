import type { Locator, Page } from "@playwright/test";

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

  /** Creates a token in the drawer and returns the key, which is shown once. */
  async create(name: string): Promise<string> {
    await this.page.getByRole("button", { name: "Add token" }).first().click();
    const drawer = this.page.getByRole("dialog", { name: "Add token" });
    await drawer.getByLabel("Name").fill(name);
    await drawer.getByRole("switch", { name: "Unlimited quota" }).click();
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
