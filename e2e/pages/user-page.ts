import type { Locator, Page } from "@playwright/test";

export type NewUser = { username: string; password: string; displayName?: string };

export class UserPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`/user${query}`);
  }

  row(username: string): Locator {
    return this.page.getByRole("row").filter({ hasText: username });
  }

  get drawer(): Locator {
    return this.page.getByRole("dialog");
  }

  async create(user: NewUser): Promise<void> {
    await this.page.getByRole("button", { name: "Add user" }).first().click();
    const drawer = this.page.getByRole("dialog", { name: "Add user" });
    await drawer.getByLabel("Username").fill(user.username);
    if (user.displayName) await drawer.getByLabel("Display name").fill(user.displayName);
    await drawer.getByLabel("Password", { exact: true }).fill(user.password);
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.waitFor({ state: "hidden" });
  }

  /** Chooses an entry of a row's menu and confirms it. */
  async manage(username: string, verb: string): Promise<void> {
    await this.page.getByRole("button", { name: `More actions for ${username}` }).click();
    await this.page.getByRole("menuitem", { name: verb }).click();
    await this.page.getByRole("dialog").getByRole("button", { name: verb }).click();
    await this.page.getByRole("dialog").waitFor({ state: "hidden" });
  }

  async edit(username: string): Promise<Locator> {
    await this.page.getByRole("button", { name: `Edit ${username}` }).click();
    return this.page.getByRole("dialog", { name: "Edit user" });
  }
}
