// The command can be copied as it stands: it names the address that this page came from.
for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;
