// Every page of the seeds' hosts with Colly, each body in a file.
//
//	colly-bench SEED_FILE PROXY FOLDER
package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	list, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	seeds := strings.Fields(string(list))
	proxy, err := url.Parse(os.Args[2])
	if err != nil {
		panic(err)
	}
	hosts := make([]string, len(seeds))
	for i, seed := range seeds {
		home, err := url.Parse(seed)
		if err != nil {
			panic(err)
		}
		hosts[i] = home.Hostname()
	}
	c := colly.NewCollector(colly.Async(true), colly.AllowedDomains(hosts...))
	c.IgnoreRobotsTxt = false
	c.DisableCookies()
	c.SetRequestTimeout(time.Minute)
	c.OnError(func(r *colly.Response, err error) {
		if r.StatusCode == 0 {
			fmt.Fprintln(os.Stderr, r.Request.URL, err)
		}
	})
	// SetProxy would close the connection after every answer.
	c.WithTransport(&http.Transport{Proxy: http.ProxyURL(proxy), MaxIdleConns: 256, MaxIdleConnsPerHost: 256})
	c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 64})
	var files atomic.Int64
	c.OnResponse(func(r *colly.Response) {
		name := fmt.Sprintf("%d.html", files.Add(1))
		if err := r.Save(filepath.Join(os.Args[3], name)); err != nil {
			panic(err)
		}
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href"))
	})
	for _, seed := range seeds {
		c.Visit(seed)
	}
	c.Wait()
	fmt.Println(files.Load())
}
