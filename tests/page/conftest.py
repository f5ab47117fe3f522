# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium for the tests of the page."""

import pathlib
import sys

import pytest
from selenium import webdriver

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--force-device-scale-factor=1", "--lang=en-GB", "--disable-background-networking",
             "--disable-component-update", "--no-first-run")


@pytest.fixture
def browser(tmp_path):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for one in (*ARGUMENTS, f"--user-data-dir={tmp_path / 'chromium'}"):
        options.add_argument(one)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()
