import type { Page } from "@playwright/test";

export class LoginPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`/login${query}`);
  }

  get username() {
    return this.page.locator('input[name="username"]');
  }

  get password() {
    return this.page.locator('input[name="password"]');
  }

  get submit() {
    return this.page.locator('form button[type="submit"]');
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.username.fill(username);
    await this.password.fill(password);
    await this.submit.click();
  }

  /** Closes the warning about the initial password and waits for the token page. */
  async dismissPasswordWarning(): Promise<void> {
    await this.page.getByRole("dialog").getByRole("button").last().click();
    await this.page.waitForURL("**/token");
  }
}
