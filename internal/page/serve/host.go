package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// OnlyFor answers requests to the host by its name, as localhost or by an address, and no others: a web page could
// let a name of its own lead here, and read in its visitor's browser what is meant for this machine.
func OnlyFor(host string, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Host
		if name, _, err := net.SplitHostPort(asked); err == nil {
			asked = name
		}
		_, err := netip.ParseAddr(strings.Trim(asked, "[]"))
		if err != nil && !strings.EqualFold(asked, host) && !strings.EqualFold(asked, "localhost") {
			http.Error(w, "nbsvm answers requests to localhost and "+host+", not to "+strconv.Quote(asked), http.StatusForbidden)
			return
		}
		pages.ServeHTTP(w, r)
	})
}
