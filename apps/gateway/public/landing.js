// The command can be copied as it is: it contains the address that this page came from.
for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;
